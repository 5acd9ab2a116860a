#!/usr/bin/env ruby
# The smallest app that answers: 14 bytes at "/", as a LiteSpeed LSAPI application. Needs ruby-lsapi,
# whose accept sets ENV and standard output for the next request (and forks if LSAPI_CHILDREN says so).

require "lsapi"

BODY = "Hello, world!\n".freeze
MISSING = "Not found\n".freeze

# Answers only GET, HEAD and POST at "/".
while LSAPI.accept
  found = ENV["REQUEST_URI"].partition("?").first == "/"
  body = found ? BODY : MISSING
  print "Status: #{found ? 200 : 404}\r\n" \
        "Content-Type: text/plain; charset=utf-8\r\n" \
        "Content-Length: #{body.bytesize}\r\n\r\n"
  print body unless ENV["REQUEST_METHOD"] == "HEAD"
end
