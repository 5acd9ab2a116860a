'use strict'
// The smallest app that answers: 14 bytes at "/", on Node. The environment is described in serve.js.

const serve = require('../_shared/serve.js')

const BODY = Buffer.from('Hello, world!\n')
const MISSING = Buffer.from('Not found\n')

// Answers only GET, HEAD and POST at "/".
serve('hello', (request, response) => {
  const found = request.url.split('?', 1)[0] === '/'
  const body = found ? BODY : MISSING
  response.writeHead(found ? 200 : 404, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': body.length
  })
  response.end(request.method === 'HEAD' ? undefined : body)
})
