# An app with a lot of memory and a small answer at "/" and "/collected": about 100 MB of Ruby objects, what a
# large app has loaded before it answers its first request. A Rack app.

module Heavy
  COUNT = 540_000
  PADDING = ("." * 48).freeze
  ENTRIES = Array.new(COUNT) do |number|
    "entry #{format('%07d', number)} of a table that an app has read at its start, padded#{PADDING}".freeze
  end.freeze
  BODY = "#{COUNT} entries\n".freeze
  MISSING = "Not found\n".freeze

  # Answers GET, HEAD and POST at "/" and, from a process that has made a full collection, at "/collected".
  def self.call(env)
    path = env["PATH_INFO"]
    found = ["/", "/collected"].include?(path)
    collect_once if path == "/collected"
    body = found ? BODY : MISSING
    headers = { "Content-Type" => "text/plain; charset=utf-8", "Content-Length" => body.bytesize.to_s }
    [found ? 200 : 404, headers, env["REQUEST_METHOD"] == "HEAD" ? [] : [body]]
  end

  # A full collection, at the first call.
  def self.collect_once
    GC.start unless @collected
    @collected = true
  end
end

# A collection notes in an object's own header how many it has survived, up to the third; those that come
# after a fork then write to none of these, and the memory stays shared. What is free between them is moved to
# the end, where what a worker makes lies on pages of its own.
3.times { GC.start }
GC.compact
