# The smallest app that answers: 14 bytes at "/", over Rack.

BODY = "Hello, world!\n".freeze
MISSING = "Not found\n".freeze

# Answers only GET, HEAD and POST at "/".
run lambda { |env|
  found = env["PATH_INFO"] == "/"
  body = found ? BODY : MISSING
  headers = { "Content-Type" => "text/plain; charset=utf-8", "Content-Length" => body.bytesize.to_s }
  [found ? 200 : 404, headers, env["REQUEST_METHOD"] == "HEAD" ? [] : [body]]
}
