#!/usr/bin/env ruby
# The page over FastCGI on file descriptor 0.

require_relative "../_shared/rack_over_fcgi"
require_relative "page"

RackOverFcgi.serve Page
