# The blog over Rack.

require_relative "blog"

run Blog
