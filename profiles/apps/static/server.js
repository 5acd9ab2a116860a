'use strict'
// A file of 53.8 KB at "/static.html", loaded into memory at the start, on Node. The environment is described in
// serve.js.

const fs = require('node:fs')
const path = require('node:path')
const serve = require('../_shared/serve.js')

const BODY = fs.readFileSync(path.join(__dirname, 'public', 'static.html'))
const MISSING = Buffer.from('Not found\n')

// Answers only GET, HEAD and POST for the file.
serve('static', (request, response) => {
  const found = request.url.split('?', 1)[0] === '/static.html'
  const body = found ? BODY : MISSING
  response.writeHead(found ? 200 : 404, {
    'Content-Type': `text/${found ? 'html' : 'plain'}; charset=utf-8`,
    'Content-Length': body.length
  })
  response.end(request.method === 'HEAD' ? undefined : body)
})
