'use strict'
// The smallest app that answers: 14 bytes at "/", on Node.
//
// Environment: PORT (and HOST, 127.0.0.1 by default) or SOCKET say where to listen; WORKERS how many workers
// a master forks and replaces, 0 (the default) that one process answers itself. SIGTERM ends gracefully.

const cluster = require('node:cluster')
const http = require('node:http')

const BODY = Buffer.from('Hello, world!\n')
const MISSING = Buffer.from('Not found\n')

/** Answers GET, HEAD and POST at "/" and nothing else. */
function answer (request, response) {
  const found = request.url.split('?', 1)[0] === '/'
  const body = found ? BODY : MISSING
  response.writeHead(found ? 200 : 404, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': body.length
  })
  response.end(request.method === 'HEAD' ? undefined : body)
}

function work (title) {
  process.title = title
  const { SOCKET, PORT, HOST = '127.0.0.1' } = process.env
  const server = http.createServer(answer)
  server.listen(SOCKET ? { path: SOCKET } : { host: HOST, port: Number(PORT) })
  return server
}

function lead (workers) {
  process.title = 'hello master'
  const replace = (worker) => { if (!worker.exitedAfterDisconnect) cluster.fork() }
  cluster.on('exit', replace)
  for (let count = 0; count < workers; count++) cluster.fork()
  process.on('SIGTERM', () => {
    cluster.off('exit', replace)
    cluster.disconnect()
  })
}

if (cluster.isWorker) {
  work(`hello worker ${cluster.worker.id}`)
} else if (Number(process.env.WORKERS)) {
  lead(Number(process.env.WORKERS))
} else {
  const server = work('hello server')
  process.on('SIGTERM', () => server.close())
}
