#!/usr/bin/env ruby
# The file over FastCGI on file descriptor 0.

require_relative "../_shared/rack_over_fcgi"
require_relative "static"

RackOverFcgi.serve Static
