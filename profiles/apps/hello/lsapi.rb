#!/usr/bin/env ruby
# The smallest app that answers: 14 bytes at "/", as an LSAPI application of LiteSpeed. Needs ruby-lsapi,
# whose accept makes ENV and standard output those of the next request (and forks, where LSAPI_CHILDREN says
# so).

require "lsapi"

BODY = "Hello, world!\n".freeze
MISSING = "Not found\n".freeze

# Answers GET, HEAD and POST at "/" and nothing else.
while LSAPI.accept
  found = ENV["REQUEST_URI"].partition("?").first == "/"
  body = found ? BODY : MISSING
  print "Status: #{found ? 200 : 404}\r\n" \
        "Content-Type: text/plain; charset=utf-8\r\n" \
        "Content-Length: #{body.bytesize}\r\n\r\n"
  print body unless ENV["REQUEST_METHOD"] == "HEAD"
end
