'use strict'
// Serves an app with Node's own HTTP server, alone or as a worker of a cluster.
//
// Environment: PORT (and HOST, 127.0.0.1 by default) or SOCKET say where to listen. SIGTERM ends gracefully: requests in
// flight are answered, then the connections are closed.

const cluster = require('node:cluster')
const http = require('node:http')

/** Listens, and calls `answer(request, response)` for each request. */
module.exports = function serve (name, answer) {
  process.title = cluster.isWorker ? `${name} worker ${cluster.worker.id}` : `${name} server`
  const { SOCKET, PORT, HOST = '127.0.0.1' } = process.env
  const server = http.createServer(answer)
  server.listen(SOCKET ? { path: SOCKET } : { host: HOST, port: Number(PORT) })
  process.once('SIGTERM', () => {
    // A connection with an answer in progress stays alive afterwards, and would hold the process until its idle timeout.
    server.keepAliveTimeout = 1
    server.close(() => process.exit())
  })
}
