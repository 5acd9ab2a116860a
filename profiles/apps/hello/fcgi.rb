#!/usr/bin/env ruby
# The smallest app that answers: 14 bytes at "/", over FastCGI on file descriptor 0.

require "fcgi"

BODY = "Hello, world!\n".freeze
MISSING = "Not found\n".freeze

# Answers only GET, HEAD and POST at "/".
FCGI.each do |request|
  # Of the path variables, only this one is the same behind every front.
  found = request.env["REQUEST_URI"].partition("?").first == "/"
  body = found ? BODY : MISSING
  request.out.print "Status: #{found ? '200 OK' : '404 Not Found'}\r\n" \
                    "Content-Type: text/plain; charset=utf-8\r\n" \
                    "Content-Length: #{body.bytesize}\r\n\r\n"
  request.out.print body unless request.env["REQUEST_METHOD"] == "HEAD"
  request.finish
end
