import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { TokenBucket } from '../../../foundation/platform/token-bucket.ts';
import type { CallTenant } from '../contract.ts';
import type { SipEvent, SipOrder } from './program.ts';
import type { SipTransport } from './settings.ts';

export interface TelephoneAccount {
  readonly id: string;
  /** MD5 of `username:realm:password`, in hexadecimal. */
  readonly secret: string;
}

export interface Telephones {
  readonly realm: string;
  accountOf(username: string): Promise<TelephoneAccount | null>;
  /** Tells whether this is a SIP address of the realm. */
  isAddress(to: string): boolean;
  /** The id of the tenant's telephone at this number or SIP address, or null. */
  idOf(tenant: CallTenant, to: string): Promise<string | null>;
}

/** Where a telephone is, until its registration expires. */
export interface Binding {
  readonly contact: string;
  readonly source: string;
  readonly port: number;
  readonly transport: SipTransport;
  readonly until: number;
}

export interface RegistrarDeps {
  readonly clock: Clock;
  readonly telephones: Telephones;
  readonly send: (order: SipOrder) => void;
  readonly onError: (error: unknown) => void;
}

const EXPIRES_S = { least: 60, most: 3600 };
const NONCE_MS = 300_000;
/** A telephone registers with two requests; the rest of the rate serves a network of telephones behind one address. */
const REQUESTS = { capacity: 40, refillPerSecond: 2 };
/** These bounds cap the memory that strangers can fill. */
const MOST_SOURCES = 10_000;
const MOST_NONCES = 20_000;
const MOST_BINDINGS = 20_000;
/** Headers (`?…`) in a contact would be copied into the calls to it. */
const CONTACT = /^sips?:[^\s<>"?]{1,255}$/i;
const COUNT = /^[0-9a-f]{8}$/i;

/** Registers telephones (RFC 3261, section 10) by digest authentication (RFC 2617) with `qop=auth`. */
export class SipRegistrar {
  readonly #deps: RegistrarDeps;
  readonly #key = randomBytes(32);
  readonly #bindings = new Map<string, Binding>();
  readonly #sources = new Map<string, TokenBucket>();
  /**
   * The highest count that came with each nonce and a right password: a replayed request has no higher one. Strangers
   * can neither fill this map nor use up a nonce.
   */
  readonly #counts = new Map<string, number>();

  constructor(deps: RegistrarDeps) {
    this.#deps = deps;
  }

  take(event: SipEvent): boolean {
    if (event.event !== 'register') return false;
    this.#register(event).catch((error: unknown) => {
      this.#answer(event, 500);
      this.#deps.onError(error);
    });
    return true;
  }

  binding(id: string): Binding | null {
    const binding = this.#bindings.get(id);
    if (binding === undefined) return null;
    if (binding.until > this.#deps.clock.monotonic()) return binding;
    this.#bindings.delete(id);
    return null;
  }

  async #register(event: SipEvent): Promise<void> {
    if (!this.#admits(String(event.source))) {
      this.#answer(event, 503);
      return;
    }
    const given = digestIn(String(event.authorization ?? ''));
    const nonce = given === null ? 'none' : this.#nonceState(given);
    if (given === null || nonce !== 'fresh') {
      this.#challenge(event, nonce === 'stale');
      return;
    }
    const { telephones } = this.#deps;
    const account = await telephones.accountOf(given.username);
    const isTheirs = userOf(String(event.to)) === given.username && given.realm === telephones.realm;
    if (account === null || !isTheirs || !answers(given, account.secret)) {
      this.#answer(event, 403);
      return;
    }
    // The same request may have come twice while the account was read.
    if (this.#nonceState(given) !== 'fresh') {
      this.#challenge(event, true);
      return;
    }
    this.#count(given);
    this.#bind(event, account.id);
  }

  #bind(event: SipEvent, telephone: string): void {
    const { clock } = this.#deps;
    const contact = String(event.contact ?? '');
    const wanted = Number(event.contact_expires ?? event.expires ?? EXPIRES_S.most);
    if (contact !== '' && wanted === 0) {
      if (contact === '*' || contact === this.binding(telephone)?.contact) this.#bindings.delete(telephone);
      this.#notify(event, this.binding(telephone));
      return;
    }
    if (contact === '') {
      // A REGISTER without a contact asks what is registered.
      this.#notify(event, this.binding(telephone));
      return;
    }
    if (!CONTACT.test(contact) || !Number.isFinite(wanted)) {
      this.#answer(event, 400);
      return;
    }
    if (this.#bindings.size >= MOST_BINDINGS) for (const id of [...this.#bindings.keys()]) this.binding(id);
    if (!this.#bindings.has(telephone) && this.#bindings.size >= MOST_BINDINGS) {
      this.#answer(event, 503);
      return;
    }
    const seconds = Math.min(EXPIRES_S.most, Math.max(EXPIRES_S.least, Math.floor(wanted)));
    const binding: Binding = {
      contact,
      source: String(event.source),
      port: Number(event.port),
      transport: event.transport as SipTransport,
      until: clock.monotonic() + seconds * 1000,
    };
    this.#bindings.set(telephone, binding);
    this.#notify(event, binding);
  }

  #notify(event: SipEvent, binding: Binding | null): void {
    if (binding === null) {
      this.#answer(event, 200);
      return;
    }
    const left = Math.ceil((binding.until - this.#deps.clock.monotonic()) / 1000);
    this.#answer(event, 200, { contact: `<${binding.contact}>;expires=${left}` });
  }

  #answer({ id = '' }: SipEvent, status: number, more: Readonly<Record<string, string>> = {}): void {
    this.#deps.send({ do: 'respond', id, status, ...more });
  }

  #challenge(event: SipEvent, isStale: boolean): void {
    const { realm } = this.#deps.telephones;
    const stale = isStale ? ', stale=true' : '';
    const challenge = `Digest realm="${realm}", nonce="${this.#nonce()}", algorithm=MD5, qop="auth"${stale}`;
    this.#answer(event, 401, { challenge });
  }

  /** The nonce holds its own time, so that requests without an answer leave nothing here. */
  #nonce(): string {
    const plain = `${Math.floor(this.#deps.clock.monotonic()).toString(36)}.${randomBytes(9).toString('hex')}`;
    return `${plain}.${this.#sign(plain)}`;
  }

  #sign(plain: string): string {
    return createHmac('sha256', this.#key).update(plain).digest('hex').slice(0, 32);
  }

  #nonceState({ nonce, nc }: Digest): 'fresh' | 'stale' | 'none' {
    const [time = '', salt = '', signature = ''] = nonce.split('.');
    if (!equal(signature, this.#sign(`${time}.${salt}`))) return 'none';
    if (this.#deps.clock.monotonic() - Number.parseInt(time, 36) > NONCE_MS) return 'stale';
    return Number.parseInt(nc, 16) > (this.#counts.get(nonce) ?? 0) ? 'fresh' : 'stale';
  }

  #count({ nonce, nc }: Digest): void {
    this.#counts.delete(nonce);
    this.#counts.set(nonce, Number.parseInt(nc, 16));
    this.#forgetOldest(this.#counts, MOST_NONCES);
  }

  #admits(source: string): boolean {
    const network = networkOf(source);
    const bucket = this.#sources.get(network) ?? new TokenBucket(this.#deps.clock, REQUESTS);
    this.#sources.delete(network);
    this.#sources.set(network, bucket);
    this.#forgetOldest(this.#sources, MOST_SOURCES);
    return bucket.take();
  }

  #forgetOldest(map: Map<string, unknown>, most: number): void {
    for (const key of map.keys()) {
      if (map.size <= most) return;
      map.delete(key);
    }
  }
}

interface Digest {
  readonly username: string;
  readonly realm: string;
  readonly nonce: string;
  readonly uri: string;
  readonly response: string;
  readonly nc: string;
  readonly cnonce: string;
}

/** An IPv6 host may use a whole /64 of addresses. */
function networkOf(source: string): string {
  if (!ipaddr.isValid(source)) return source;
  const address = ipaddr.process(source);
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(':') : address.toString();
}

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

function answers({ nonce, nc, cnonce, uri, response }: Digest, secret: string): boolean {
  return equal(response, md5(`${secret}:${nonce}:${nc}:${cnonce}:auth:${md5(`REGISTER:${uri}`)}`));
}

function equal(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Returns null for credentials that are no digest with `qop=auth` and MD5. */
function digestIn(authorization: string): Digest | null {
  if (!/^Digest /i.test(authorization)) return null;
  const fields: Record<string, string> = Object.create(null);
  for (const [, name = '', quoted, bare] of authorization.matchAll(/(\w+)\s*=\s*(?:"([^"]*)"|([^",\s]+))/g))
    fields[name.toLowerCase()] = quoted ?? bare ?? '';
  const { username, realm, nonce, uri, response, nc, cnonce, qop, algorithm = 'MD5' } = fields;
  if (username === undefined || realm === undefined || nonce === undefined || uri === undefined) return null;
  if (response === undefined || nc === undefined || cnonce === undefined) return null;
  if (qop !== 'auth' || algorithm.toUpperCase() !== 'MD5' || !COUNT.test(nc)) return null;
  return { username, realm, nonce, uri, response, nc, cnonce };
}

const userOf = (uri: string): string | null => /^sips?:([^@;>:]+)(?::[^@]*)?@/i.exec(uri)?.[1] ?? null;
