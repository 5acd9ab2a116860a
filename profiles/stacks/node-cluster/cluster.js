// A master that forks as many workers as wanted and replaces those that end; the listening socket is shared.
// The app is any script that listens on HOST and PORT.

const cluster = require('node:cluster')

process.title = 'node cluster master'
cluster.setupPrimary({ exec: {{ (app.path ~ "/" ~ app.entry) | tojson }} })
let ending = false
cluster.on('exit', () => { if (!ending) cluster.fork() })
for (let count = 0; count < {{ workers }}; count++) cluster.fork()
process.once('SIGTERM', () => {
  ending = true
  for (const worker of Object.values(cluster.workers)) worker.process.kill('SIGTERM')
})
