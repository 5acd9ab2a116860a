#!/usr/bin/env ruby
# The heavy app as a LiteSpeed LSAPI application. Needs ruby-lsapi, whose accept sets ENV and standard output for
# the next request; if LSAPI_CHILDREN says so, it forks first, and the children share what is loaded by then.

require "lsapi"
require_relative "heavy"

while LSAPI.accept
  path = ENV["REQUEST_URI"].partition("?").first
  status, headers, body = Heavy.call("PATH_INFO" => path, "REQUEST_METHOD" => ENV["REQUEST_METHOD"])
  print "Status: #{status}\r\n", *headers.map { |name, value| "#{name}: #{value}\r\n" }, "\r\n", *body
end
