#!/usr/bin/env ruby
# The heavy app over FastCGI on file descriptor 0.

require_relative "../_shared/rack_over_fcgi"
require_relative "heavy"

RackOverFcgi.serve Heavy
