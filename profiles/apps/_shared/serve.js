'use strict'
// Serves an app with Node's own HTTP server, in one process or in a cluster.
//
// Environment: PORT (and HOST, 127.0.0.1 by default) or SOCKET say where to listen; WORKERS how many workers
// a master forks, and replaces when they end; without it the one process answers itself. SIGTERM ends gracefully:
// requests in flight are answered, then the connections are closed.

const cluster = require('node:cluster')
const http = require('node:http')

/** Listens, and calls `answer(request, response)` for each request. */
module.exports = function serve (name, answer) {
  const workers = Number(process.env.WORKERS ?? 0)
  if (cluster.isPrimary && workers > 0) {
    lead(name, workers)
  } else {
    work(cluster.isWorker ? `${name} worker ${cluster.worker.id}` : `${name} server`, answer)
  }
}

function lead (name, workers) {
  process.title = `${name} master`
  let ending = false
  cluster.on('exit', () => { if (!ending) cluster.fork() })
  for (let count = 0; count < workers; count++) cluster.fork()
  process.once('SIGTERM', () => {
    ending = true
    for (const worker of Object.values(cluster.workers)) worker.process.kill('SIGTERM')
  })
}

function work (title, answer) {
  process.title = title
  const { SOCKET, PORT, HOST = '127.0.0.1' } = process.env
  const server = http.createServer(answer)
  server.listen(SOCKET ? { path: SOCKET } : { host: HOST, port: Number(PORT) })
  process.once('SIGTERM', () => {
    // A connection that answers just now is kept alive after it, and would hold the process until it idles out.
    server.keepAliveTimeout = 1
    server.close(() => process.exit())
  })
}
