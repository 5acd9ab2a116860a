# The heavy app over Rack.

require_relative "heavy"

run Heavy
