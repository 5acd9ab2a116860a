#!/usr/bin/env ruby
# The app over FastCGI on file descriptor 0.

require "rack"
require_relative "../_shared/rack_over_fcgi"

app, = Rack::Builder.parse_file(File.join(__dir__, "config.ru"))
RackOverFcgi.serve app
