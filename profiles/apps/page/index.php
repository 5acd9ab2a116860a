<?php
// A dynamic page at "/", in PHP. PHP itself omits the body in an answer to HEAD.

const QUERY = 'SELECT minute, kind, line, terminus, platform FROM board WHERE stop = ? AND minute >= ? LIMIT 24';

/** This process's in-memory database: a persistent connection outlives the request that built it. */
function database(): PDO
{
    $connection = new PDO('sqlite::memory:', null, null, [PDO::ATTR_PERSISTENT => true]);
    if ($connection->query("SELECT count(*) FROM sqlite_master WHERE name = 'board'")->fetchColumn() === 0) {
        $connection->exec(file_get_contents(__DIR__ . '/page.sql'));
    }
    return $connection;
}

/** A minute of the day as HH:MM. */
function clock(int $minute): string
{
    return sprintf('%02d:%02d', intdiv($minute, 60), $minute % 60);
}

ob_start();
if (parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH) === '/') {
    $stop = 'Harbour Bridge';
    $start = 8 * 60;
    $query = database()->prepare(QUERY);
    $query->execute([$stop, $start]);
    $board = $query->fetchAll(PDO::FETCH_OBJ);
    header('Content-Type: text/html; charset=utf-8');
    require __DIR__ . '/page.phtml';
} else {
    http_response_code(404);
    header('Content-Type: text/plain; charset=utf-8');
    echo "Not found\n";
}
header('Content-Length: ' . ob_get_length());
ob_end_flush();
