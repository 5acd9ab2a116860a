<?php
// The smallest app that answers: 14 bytes at "/", in PHP. PHP itself omits the body in an answer to HEAD.

$found = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH) === '/';
$body = $found ? "Hello, world!\n" : "Not found\n";
http_response_code($found ? 200 : 404);
header('Content-Type: text/plain; charset=utf-8');
header('Content-Length: ' . strlen($body));
echo $body;
