// node --test clients/node
//
// Some tests need a running server and are skipped without it: KITS_BASE_URL, KITS_SERVER_KEY (scope messages:send) and
// KITS_APP_ID; for logins also KITS_PUBLIC_KEY of a VERIFIED app, and KITS_IDENTITY_KEY_ID and KITS_IDENTITY_KEY_FILE of
// a key that is registered with it.

import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync, randomBytes, randomUUID, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { createIdentityTokenSigner, generateIdentityKeyPair, Kits, KitsError } from './kits.mjs'

const { KITS_BASE_URL: liveURL, KITS_SERVER_KEY: liveKey, KITS_APP_ID: liveApp } = process.env
const live = { skip: liveURL && liveKey ? false : 'needs KITS_BASE_URL and KITS_SERVER_KEY' }
const { KITS_PUBLIC_KEY: publicKey, KITS_IDENTITY_KEY_ID: keyId, KITS_IDENTITY_KEY_FILE: keyFile } = process.env
const verified = {
  skip: liveURL && liveApp && publicKey && keyId && keyFile ? false : 'needs an app in VERIFIED mode, see above',
}
const appId = '01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70'
const key = `kits_sk_${'a'.repeat(49)}`

/** Answers each request with the next of the answers, the last one for ever; notes what was asked. */
async function withServer(answers, body) {
  const seen = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    seen.push({ method: request.method, url: request.url, headers: request.headers, text })
    const { status = 201, headers = {}, json = { id: 'm1' }, raw, hangUp } =
      answers[Math.min(seen.length, answers.length) - 1]
    if (hangUp) return response.destroy()
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(raw ?? JSON.stringify(json))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    await body(`http://127.0.0.1:${server.address().port}`, seen)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

function unavailable(more = {}) {
  const json = { code: 'OVERLOADED', title: 'Too much', detail: 'Later.', retryable: true, request_id: 'r1' }
  return { status: 503, headers: { 'retry-after': '0' }, json, ...more }
}

test('a token has the claims of the contract and 64 bytes of signature', () => {
  const { privateKeyPEM, publicKeyPEM } = generateIdentityKeyPair()
  const signer = createIdentityTokenSigner({ appId: appId.toUpperCase(), keyId: '2026-08', privateKeyPEM })
  const before = Math.floor(Date.now() / 1000)
  const { token, expiresAt } = signer.sign('alice')
  const [header, claims, signature] = token.split('.').map((part) => Buffer.from(part, 'base64url'))
  assert.deepEqual(JSON.parse(header), { alg: 'ES256', kid: '2026-08', typ: 'JWT' })
  const { iat, exp, ...rest } = JSON.parse(claims)
  assert.deepEqual(rest, { iss: appId, aud: 'kits:identity', identity: { external_id: 'alice' } })
  assert.equal(exp - iat, 300)
  assert.equal(exp, expiresAt)
  assert.ok(iat >= before && iat <= before + 5)
  assert.equal(signature.length, 64)
  const signed = Buffer.from(token.slice(0, token.lastIndexOf('.')))
  const publicKey = { key: createPublicKey(publicKeyPEM), dsaEncoding: 'ieee-p1363' }
  assert.ok(verify('sha256', signed, publicKey, signature))
})

test('what is wrong is refused when the signer is made, without repeating the key', () => {
  const { privateKeyPEM, publicKeyPEM } = generateIdentityKeyPair()
  const right = { appId, keyId: 'k', privateKeyPEM }
  const otherCurve = generateKeyPairSync('ec', { namedCurve: 'secp384r1' }).privateKey
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const wrong = [
    { appId: 'shop' }, { appId: undefined }, { keyId: '' }, { keyId: 'k'.repeat(65) }, { keyId: 7 }, { keyId: 'a\nb' },
    { ttlSeconds: 0 }, { ttlSeconds: 3601 }, { ttlSeconds: 1.5 }, { ttlSeconds: '300' }, { ttlSeconds: NaN },
    { privateKeyPEM: publicKeyPEM }, { privateKeyPEM: 'secret' }, { privateKeyPEM: undefined },
    { privateKeyPEM: otherCurve.export({ type: 'pkcs8', format: 'pem' }) },
    { privateKeyPEM: rsa.export({ type: 'pkcs8', format: 'pem' }) },
  ]
  for (const change of wrong) {
    assert.throws(
      () => createIdentityTokenSigner({ ...right, ...change }),
      (error) => error instanceof TypeError && !error.message.includes('secret') && error.cause === undefined)
  }
})

test('an id that no user can have is not signed', () => {
  const { privateKeyPEM } = generateIdentityKeyPair()
  const signer = createIdentityTokenSigner({ appId, keyId: 'k', privateKeyPEM, ttlSeconds: 3600 })
  const wrong = ['', ' ', '\u00a0', 'a\0b', 'a\nb', 'a\u0085', '\ufeffa', 'a\u202e', '\ud800', 'a'.repeat(257),
    'é'.repeat(128) + 'a', 7, null, undefined]
  for (const id of wrong) assert.throws(() => signer.sign(id), TypeError)
  for (const id of ['a'.repeat(256), 'é'.repeat(128), '👩‍👩‍👧', ' a', '"\\']) assert.ok(signer.sign(id).token)
})

test('a message is posted once, with the key, as JSON', async () => {
  await withServer([{ json: { id: 'm1', state: 'planning' } }], async (url, seen) => {
    const message = { target: { everyone: true }, title: 'Hello' }
    const created = await new Kits({ baseURL: `${url}/`, serverKey: key }).messages.create(message)
    assert.deepEqual(created, { id: 'm1', state: 'planning' })
    assert.equal(seen.length, 1)
    assert.equal(`${seen[0].method} ${seen[0].url}`, 'POST /v1/messages')
    assert.equal(seen[0].headers.authorization, `Bearer ${key}`)
    assert.equal(seen[0].headers['content-type'], 'application/json')
    assert.match(seen[0].headers['idempotency-key'], /^[0-9a-f-]{36}$/)
    assert.deepEqual(JSON.parse(seen[0].text), message)
  })
})

test('what may succeed later is repeated with the same idempotency key', async () => {
  const answers = [unavailable(), { hangUp: true }, { status: 502, raw: '<html>bad gateway</html>' }, {}]
  await withServer(answers, async (url, seen) => {
    const kits = new Kits({ baseURL: url, serverKey: key })
    assert.equal((await kits.messages.create({ title: 'x' }, { idempotencyKey: 'job-1' })).id, 'm1')
    assert.deepEqual(seen.map((request) => request.headers['idempotency-key']), Array(4).fill('job-1'))
    assert.equal(new Set(seen.map((request) => request.text)).size, 1)
  })
})

test('after so many attempts the last problem is thrown', async () => {
  await withServer([unavailable()], async (url, seen) => {
    const call = new Kits({ baseURL: url, serverKey: key, attempts: 3 }).messages.create({ title: 'x' })
    await assert.rejects(call, (error) => {
      assert.ok(error instanceof KitsError)
      assert.deepEqual(
        [error.status, error.code, error.retryable, error.requestId], [503, 'OVERLOADED', true, 'r1'])
      return true
    })
    assert.equal(seen.length, 3)
  })
})

test('what will never succeed is not repeated, and says which fields are wrong', async () => {
  const errors = [{ pointer: '/title', code: 'TOO_LONG', detail: 'It must be shorter.' }]
  const json = { code: 'BODY_INVALID', detail: 'A field is wrong.', retryable: false, request_id: 'r2', errors }
  await withServer([{ status: 422, json }], async (url, seen) => {
    const call = new Kits({ baseURL: url, serverKey: key }).messages.create({ title: 'x' })
    await assert.rejects(call, (error) => {
      assert.equal(error.code, 'BODY_INVALID')
      assert.deepEqual(error.errors, errors)
      assert.match(error.message, /\/title TOO_LONG/)
      assert.ok(!error.message.includes(key))
      return true
    })
    assert.equal(seen.length, 1)
  })
})

test('the problem decides whether to repeat, not the status', async () => {
  const final = unavailable({ json: { code: 'INTERNAL', retryable: false } })
  await withServer([final], async (url, seen) => {
    await assert.rejects(new Kits({ baseURL: url, serverKey: key }).messages.create({}), { code: 'INTERNAL' })
    assert.equal(seen.length, 1)
  })
})

test('Retry-After is waited for, in seconds and as a date, unless it is too long', async () => {
  const soon = unavailable({ headers: { 'retry-after': '1' } })
  await withServer([soon, {}], async (url) => {
    const start = Date.now()
    await new Kits({ baseURL: url, serverKey: key }).messages.create({})
    assert.ok(Date.now() - start >= 990)
  })
  const past = unavailable({ headers: { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' } })
  await withServer([past, {}], async (url, seen) => {
    await new Kits({ baseURL: url, serverKey: key }).messages.create({})
    assert.equal(seen.length, 2)
  })
  await withServer([unavailable({ headers: { 'retry-after': '3600' } })], async (url, seen) => {
    await assert.rejects(new Kits({ baseURL: url, serverKey: key }).messages.create({}), { code: 'OVERLOADED' })
    assert.equal(seen.length, 1)
  })
})

test('a redirect is not followed: the key stays with the server that was named', async () => {
  await withServer([{ status: 307, headers: { location: '/elsewhere' } }], async (url, seen) => {
    const call = new Kits({ baseURL: url, serverKey: key }).messages.create({})
    await assert.rejects(call, { code: 'HTTP_307', retryable: false })
    assert.deepEqual(seen.map((request) => request.url), ['/v1/messages'])
  })
})

test('nobody there is UNREACHABLE, and the caller can stop the waiting', async () => {
  const kits = new Kits({ baseURL: 'http://127.0.0.1:1', serverKey: key, attempts: 2 })
  await assert.rejects(kits.messages.create({}), { code: 'UNREACHABLE', status: 0, retryable: true })
  await withServer([unavailable({ headers: { 'retry-after': '20' } })], async (url) => {
    const controller = new AbortController()
    const call = new Kits({ baseURL: url, serverKey: key }).messages.create({}, { signal: controller.signal })
    setTimeout(() => controller.abort(), 100)
    await assert.rejects(call, { name: 'AbortError' })
  })
})

test('a key or an address of the wrong form is refused at once', () => {
  const changes = [
    { serverKey: 'x' }, { serverKey: undefined }, { baseURL: 'ftp://x' }, { baseURL: 'x' }, { attempts: 0 },
  ]
  for (const wrong of changes) {
    assert.throws(() => new Kits({ baseURL: 'https://example.com', serverKey: key, ...wrong }), TypeError)
  }
  assert.ok(!JSON.stringify(new Kits({ baseURL: 'https://example.com', serverKey: key })).includes('kits_sk_'))
})

test('messages.create against the running server: one message per idempotency key (K26)', live, async () => {
  const kits = new Kits({ baseURL: liveURL, serverKey: liveKey })
  const message = { app_id: liveApp, target: { everyone: true }, title: 'From Node', body: '🚀' }
  const first = await kits.messages.create(message, { idempotencyKey: 'node-test' })
  assert.match(first.id, /^[0-9a-f-]{36}$/)
  const again = await kits.messages.create(message, { idempotencyKey: 'node-test' })
  assert.equal(again.id, first.id)
  const other = kits.messages.create({ ...message, title: 'Other' }, { idempotencyKey: 'node-test' })
  await assert.rejects(other, { status: 409, code: 'IDEMPOTENCY_KEY_REUSED', retryable: false })
  const wrong = kits.messages.create({ target: { everyone: true }, titel: 'x' })
  await assert.rejects(wrong, (error) => {
    assert.equal(error.status, 422)
    assert.ok(error.errors.some((one) => one.pointer === '/titel' && one.code === 'UNKNOWN_FIELD'))
    assert.ok(error.requestId)
    return true
  })
})

test('a device logs in with a token that was signed here (K19, K24, K29)', verified, async () => {
  async function call(method, path, headers, body) {
    const response = await fetch(liveURL + path, {
      method, headers: { 'content-type': 'application/json', ...headers }, body: body && JSON.stringify(body),
    })
    return { status: response.status, body: await response.json() }
  }
  const registered = await call('POST', '/v1/installations', {
    'x-kits-public-key': publicKey, 'idempotency-key': randomUUID(),
  }, { platform: 'ios', push_token: randomBytes(32).toString('hex'), permission: 'authorized' })
  assert.equal(registered.status, 201)
  const path = `/v1/installations/${registered.body.id}/identity`
  const device = { authorization: `Bearer ${registered.body.device_token}` }
  const before = await call('GET', path, device)
  const signer = createIdentityTokenSigner({ appId: liveApp, keyId, privateKeyPEM: readFileSync(keyFile, 'utf8') })
  const login = await call('POST', path, device, {
    token: signer.sign('alice').token, expected_binding_id: before.body.binding.id, operation_id: randomUUID(),
  })
  assert.equal(login.status, 200, JSON.stringify(login.body))
  assert.equal(login.body.result, 'bound')
  assert.equal(login.body.binding.external_id, 'alice')
  assert.equal(login.body.binding.verified, true)
})
