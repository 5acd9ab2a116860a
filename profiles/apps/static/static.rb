# A file of 53.8 KB at "/static.html", loaded into memory at the start. A Rack app.

module Static
  PATH = "/static.html".freeze
  BODY = File.binread(File.join(__dir__, "public", "static.html")).freeze
  MISSING = "Not found\n".freeze

  # Answers only GET, HEAD and POST for the file.
  def self.call(env)
    found = env["PATH_INFO"] == PATH
    body = found ? BODY : MISSING
    headers = {
      "Content-Type" => "text/#{found ? 'html' : 'plain'}; charset=utf-8",
      "Content-Length" => body.bytesize.to_s
    }
    [found ? 200 : 404, headers, env["REQUEST_METHOD"] == "HEAD" ? [] : [body]]
  end
end
