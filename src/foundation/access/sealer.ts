import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** A sealed text is longer than the text by so many bytes. */
export const SEALED_EXTRA_BYTES = NONCE_BYTES + TAG_BYTES;

/** Seals customers' secrets, so that the database and its copies reveal none without the sealing key. */
export class Sealer {
  readonly #key: Buffer;

  constructor(secret: Buffer, purpose: string) {
    this.#key = Buffer.from(hkdfSync('sha256', secret, '', `trunkline ${purpose}`, 32));
  }

  /** `place` binds the sealed text to its purpose; it does not open for another. */
  seal(text: string, place: string): string {
    return this.sealBytes(Buffer.from(text, 'utf8'), place).toString('base64');
  }

  open(sealed: string, place: string): string {
    return this.openBytes(Buffer.from(sealed, 'base64'), place).toString('utf8');
  }

  sealBytes(bytes: Uint8Array, place: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce).setAAD(Buffer.from(place));
    const sealed = Buffer.concat([cipher.update(bytes), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
  }

  openBytes(sealed: Uint8Array, place: string): Buffer {
    const nonce = sealed.subarray(0, NONCE_BYTES);
    const tag = sealed.subarray(NONCE_BYTES, SEALED_EXTRA_BYTES);
    const decipher = createDecipheriv(CIPHER, this.#key, nonce).setAAD(Buffer.from(place)).setAuthTag(tag);
    return Buffer.concat([decipher.update(sealed.subarray(SEALED_EXTRA_BYTES)), decipher.final()]);
  }
}
