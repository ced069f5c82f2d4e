// Kits for customers' backends on Node 18 or later. One file without dependencies: copy it.
//
//   import { Kits, createIdentityTokenSigner, generateIdentityKeyPair } from './kits.mjs'
//
// Docs: docs/identity.md (tokens) and openapi.yaml (messages).

import { createPrivateKey, createPublicKey, generateKeyPairSync, randomUUID, sign as signBytes } from 'node:crypto'

const AUDIENCE = 'kits:identity'
const DEFAULT_TTL_SECONDS = 300
const LONGEST_TTL_SECONDS = 3600
const KEY_ID_BYTES = 64
const EXTERNAL_ID_BYTES = 256
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
// C0, DEL, C1; the byte order mark and the marks of text direction; half a surrogate pair.
const FORBIDDEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/u

/**
 * Makes a pair of keys for identity tokens. The private half stays with your backend; the public half is registered
 * with Kits under a key id of your choice. Kits refuses private keys.
 *
 * @returns {{ privateKeyPEM: string, publicKeyPEM: string }}
 */
export function generateIdentityKeyPair() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', {
    namedCurve: 'prime256v1',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  return { privateKeyPEM: privateKey, publicKeyPEM: publicKey }
}

/**
 * Makes a signer of identity tokens for one app. It works locally, without a call to Kits; keep one and share it.
 *
 * @param {object} options
 * @param {string} options.appId The id of the app (the `iss` of the tokens).
 * @param {string} options.keyId Under which name the public half is registered (the `kid`).
 * @param {string} options.privateKeyPEM A P-256 private key in PKCS#8 PEM.
 * @param {number} [options.ttlSeconds] How long each token lives: 1 to 3600, 300 unless given.
 * @returns {{ sign(externalId: string): { token: string, expiresAt: number } }} `expiresAt` in seconds since 1970.
 */
export function createIdentityTokenSigner({ appId, keyId, privateKeyPEM, ttlSeconds = DEFAULT_TTL_SECONDS }) {
  ensure(typeof appId === 'string' && UUID.test(appId), 'appId must be the id of an app')
  ensure(
    typeof keyId === 'string' && isWithin(keyId, KEY_ID_BYTES) && !FORBIDDEN.test(keyId),
    `keyId must be a string of 1 to ${KEY_ID_BYTES} bytes without control characters`,
  )
  ensure(
    Number.isInteger(ttlSeconds) && ttlSeconds >= 1 && ttlSeconds <= LONGEST_TTL_SECONDS,
    `ttlSeconds must be 1 to ${LONGEST_TTL_SECONDS}`,
  )
  const key = readPrivateKey(privateKeyPEM)
  const issuer = appId.toLowerCase()
  const header = encode({ alg: 'ES256', kid: keyId, typ: 'JWT' })
  return {
    sign(externalId) {
      requireExternalId(externalId)
      const issuedAt = Math.floor(Date.now() / 1000)
      const expiresAt = issuedAt + ttlSeconds
      const claims = encode({
        iss: issuer, aud: AUDIENCE, iat: issuedAt, exp: expiresAt, identity: { external_id: externalId },
      })
      const signed = `${header}.${claims}`
      // ES256 wants the 64 bytes r and s; Node writes DER unless it is told so.
      const signature = signBytes('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' })
      return { token: `${signed}.${signature.toString('base64url')}`, expiresAt }
    },
  }
}

/** What the server answered in place of what was asked for, or that it did not answer. */
export class KitsError extends Error {
  /** The HTTP status; 0 when there was no answer. */
  status
  /** The stable code of the problem, such as `BODY_INVALID`; `UNREACHABLE` when there was no answer. */
  code
  /** Whether the identical request may succeed later. It was repeated already. */
  retryable
  /** The id under which the server's log has the request. */
  requestId
  /** `{ pointer, code, detail }` of each wrong field. */
  errors

  constructor(message, { status = 0, code = 'UNREACHABLE', retryable = true, requestId, errors = [], cause } = {}) {
    super(message, { cause })
    this.name = 'KitsError'
    Object.assign(this, { status, code, retryable, requestId, errors })
  }
}

/** The API of a Kits server as a backend uses it. */
export class Kits {
  #baseURL
  #serverKey
  #attempts
  #timeoutMilliseconds
  #longestPauseMilliseconds

  /**
   * @param {object} options
   * @param {string} options.baseURL Like `https://push.example.com`.
   * @param {string} options.serverKey `kits_sk_…`; `messages.create` needs its scope `messages:send`.
   * @param {number} [options.attempts] Of one call, the first included.
   * @param {number} [options.timeoutMilliseconds] Of one attempt.
   * @param {number} [options.longestPauseMilliseconds] Between two attempts: when the server asks for more in
   *   `Retry-After`, the call fails instead of waiting.
   */
  constructor({
    baseURL, serverKey, attempts = 5, timeoutMilliseconds = 30_000, longestPauseMilliseconds = 30_000,
  }) {
    const url = new URL(baseURL)
    ensure(url.protocol === 'https:' || url.protocol === 'http:', 'baseURL must begin with https:// or http://')
    ensure(typeof serverKey === 'string' && /^kits_sk_[0-9A-Za-z]+$/.test(serverKey), 'serverKey is no server key')
    ensure(Number.isInteger(attempts) && attempts >= 1, 'attempts must be 1 or more')
    this.#baseURL = url.href.replace(/\/+$/, '')
    this.#serverKey = serverKey
    this.#attempts = attempts
    this.#timeoutMilliseconds = timeoutMilliseconds
    this.#longestPauseMilliseconds = longestPauseMilliseconds
  }

  messages = {
    /**
     * Sends a message (`POST /v1/messages`). All attempts carry one idempotency key, so that one message is sent
     * however often it is tried. Give your own key, such as the id of your job, and a repetition of the job is one
     * message too.
     *
     * @param {object} message `{ target, title, body, … }`, see openapi.yaml.
     * @param {{ idempotencyKey?: string, signal?: AbortSignal }} [options]
     * @returns {Promise<object>} The message as the server created it, or had created it.
     * @throws {KitsError}
     */
    create: (message, { idempotencyKey = randomUUID(), signal } = {}) =>
      this.#call('POST', '/v1/messages', { body: message, idempotencyKey, signal }),
  }

  async #call(method, path, { body, idempotencyKey, signal }) {
    const request = {
      method,
      headers: {
        authorization: `Bearer ${this.#serverKey}`,
        accept: 'application/json',
        'content-type': 'application/json',
        'idempotency-key': idempotencyKey,
      },
      body: JSON.stringify(body),
      // Following it would carry the key to whoever it names.
      redirect: 'manual',
    }
    for (let attempt = 1; ; attempt++) {
      const { value, error, pauseMilliseconds } = await this.#once(path, request, signal)
      if (!error) return value
      const pause = pauseMilliseconds ?? backoff(attempt)
      if (!error.retryable || attempt >= this.#attempts || pause > this.#longestPauseMilliseconds) throw error
      await sleep(pause, signal)
    }
  }

  /** One attempt: `{ value }` or `{ error, pauseMilliseconds }`. Only the caller's own abort is thrown. */
  async #once(path, request, signal) {
    const timeout = AbortSignal.timeout(this.#timeoutMilliseconds)
    try {
      const response = await fetch(this.#baseURL + path, { ...request, signal: anyOf(timeout, signal) })
      const text = await response.text()
      const answer = parse(text)
      if (response.ok && answer) return { value: answer }
      return { error: problem(response, answer), pauseMilliseconds: retryAfter(response) }
    } catch (cause) {
      signal?.throwIfAborted()
      const reason = timeout.aborted ? 'did not answer in time' : 'can not be reached'
      return { error: new KitsError(`Kits ${reason}`, { cause }) }
    }
  }
}

/** The server's own words when the answer is one of Kits, and a guess by the status when a proxy answered. */
function problem(response, answer) {
  const { status } = response
  const details = {
    status,
    code: answer?.code ?? `HTTP_${status}`,
    retryable: answer?.retryable ?? (status === 429 || status >= 500),
    requestId: answer?.request_id ?? response.headers.get('x-request-id') ?? undefined,
    errors: answer?.errors ?? [],
  }
  const fields = details.errors.map((e) => `${e.pointer || e.parameter || 'the body'} ${e.code}: ${e.detail}`)
  const sentence = answer?.detail ?? answer?.title ?? 'not an answer of Kits'
  return new KitsError([`${details.code} (${status}): ${sentence}`, ...fields].join('\n  '), details)
}

/** Milliseconds, from seconds or a date. */
function retryAfter(response) {
  const text = response.headers.get('retry-after')
  if (text === null) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}

/** A quarter of a second, doubled each time, and never the same for two callers. */
function backoff(attempt) {
  return Math.min(250 * 2 ** (attempt - 1), 8_000) * (0.5 + Math.random() / 2)
}

function sleep(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const timer = setTimeout(done, milliseconds)
    signal?.addEventListener('abort', stop, { once: true })
    function done() {
      signal?.removeEventListener('abort', stop)
      resolve()
    }
    function stop() {
      clearTimeout(timer)
      reject(signal.reason)
    }
  })
}

/** `AbortSignal.any` came with Node 20. */
function anyOf(timeout, signal) {
  if (!signal) return timeout
  const controller = new AbortController()
  for (const one of [timeout, signal]) {
    if (one.aborted) controller.abort(one.reason)
    one.addEventListener('abort', () => controller.abort(one.reason), { once: true, signal: controller.signal })
  }
  return controller.signal
}

function parse(text) {
  try {
    const value = JSON.parse(text)
    return value !== null && typeof value === 'object' ? value : undefined
  } catch {
    return undefined
  }
}

function readPrivateKey(pem) {
  ensure(typeof pem === 'string' && !/PUBLIC KEY/.test(pem), 'privateKeyPEM must be a private key in PEM')
  let key
  try {
    key = createPrivateKey({ key: pem, format: 'pem' })
  } catch {
    // Without the cause: it may quote the key.
    throw new TypeError('privateKeyPEM is not a private key in PEM')
  }
  const isP256 = key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1'
  ensure(isP256 && createPublicKey(key).type === 'public', 'privateKeyPEM must be a P-256 key')
  return key
}

function requireExternalId(id) {
  ensure(typeof id === 'string', 'externalId must be a string')
  ensure(isWithin(id, EXTERNAL_ID_BYTES), `externalId must have 1 to ${EXTERNAL_ID_BYTES} bytes of UTF-8`)
  ensure(!FORBIDDEN.test(id), 'externalId must not have control characters')
  ensure(/\P{White_Space}/u.test(id), 'externalId must not be white space alone')
}

function isWithin(text, bytes) {
  return text !== '' && Buffer.byteLength(text) <= bytes
}

function encode(value) {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function ensure(isRight, message) {
  if (!isRight) throw new TypeError(message)
}
