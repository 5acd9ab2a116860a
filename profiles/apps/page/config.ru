# The page over Rack.

require_relative "page"

run Page
