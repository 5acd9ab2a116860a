#!/usr/bin/env ruby
# The blog over FastCGI on file descriptor 0.

require_relative "../_shared/rack_over_fcgi"
require_relative "blog"

RackOverFcgi.serve Blog
