#!/usr/bin/env ruby
# The heavy app as an LSAPI application of LiteSpeed. Needs ruby-lsapi, whose accept makes ENV and standard
# output those of the next request; where LSAPI_CHILDREN says so it forks first, and the children share what
# is loaded by then.

require "lsapi"
require_relative "heavy"

while LSAPI.accept
  path = ENV["REQUEST_URI"].partition("?").first
  status, headers, body = Heavy.call("PATH_INFO" => path, "REQUEST_METHOD" => ENV["REQUEST_METHOD"])
  print "Status: #{status}\r\n", *headers.map { |name, value| "#{name}: #{value}\r\n" }, "\r\n", *body
end
