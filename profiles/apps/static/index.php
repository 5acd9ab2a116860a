<?php
// A file of 53.8 KB at "/static.html", in PHP. PHP itself omits the body in an answer to HEAD.

const FILE = __DIR__ . '/public/static.html';

if (parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH) === '/static.html') {
    header('Content-Type: text/html; charset=utf-8');
    header('Content-Length: ' . filesize(FILE));
    readfile(FILE);
} else {
    http_response_code(404);
    header('Content-Type: text/plain; charset=utf-8');
    header('Content-Length: 10');
    echo "Not found\n";
}
