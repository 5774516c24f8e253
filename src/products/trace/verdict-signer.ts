import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';

/** The PKCS #8 prefix of an Ed25519 key's seed. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Signs verdicts, so that whoever holds the public key can tell that one was not written later. */
export class VerdictSigner {
  readonly #key: KeyObject;
  /** PEM. */
  readonly publicKey: string;

  constructor(secret: Buffer) {
    const seed = createHash('sha256').update('trace verdicts').update(secret).digest();
    this.#key = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
    this.publicKey = createPublicKey(this.#key).export({ format: 'pem', type: 'spki' }) as string;
  }

  /** Base64; the same digest always has the same signature. */
  sign(digest: string): string {
    return sign(null, Buffer.from(digest, 'utf8'), this.#key).toString('base64');
  }
}
