# An app with a lot of memory and a small answer at "/" and "/collected": about 100 MB of Ruby objects, as
# a large app has loaded before its first answer. A Rack app.

module Heavy
  COUNT = 540_000
  PADDING = ("." * 48).freeze
  ENTRIES = Array.new(COUNT) do |number|
    "entry #{format('%07d', number)} of a table that an app has read at its start, padded#{PADDING}".freeze
  end.freeze
  BODY = "#{COUNT} entries\n".freeze
  MISSING = "Not found\n".freeze

  # Answers GET, HEAD and POST at "/" and, after a full collection in this process, at "/collected".
  def self.call(env)
    path = env["PATH_INFO"]
    found = ["/", "/collected"].include?(path)
    collect_once if path == "/collected"
    body = found ? BODY : MISSING
    headers = { "Content-Type" => "text/plain; charset=utf-8", "Content-Length" => body.bytesize.to_s }
    [found ? 200 : 404, headers, env["REQUEST_METHOD"] == "HEAD" ? [] : [body]]
  end

  # Makes a full collection, on the first call only.
  def self.collect_once
    GC.start unless @collected
    @collected = true
  end
end

# A collection counts in an object's header how many it has survived, up to three; later collections, after a
# fork, then don't write to these headers, and the memory stays shared. Free slots between the objects are moved to
# the end, so that a worker's new objects are on separate pages.
3.times { GC.start }
GC.compact
