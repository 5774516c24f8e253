import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';

/** Standard Webhooks decodes what follows the prefix as base64. */
export const newSigningSecret = (): string => PREFIX + randomBytes(32).toString('base64');

export const isSigningSecret = (text: string): boolean => text.startsWith(PREFIX);

/** The header is `t=<unix seconds>,v1=<hex>`: HMAC-SHA256 over `<t>.<raw body>`, keyed by the secret's characters. */
export function webhookSignature(secret: string, body: string, unixSeconds: number): string {
  const digest = createHmac('sha256', secret).update(`${unixSeconds}.${body}`).digest('hex');
  return `t=${unixSeconds},v1=${digest}`;
}

/**
 * The three headers follow Standard Webhooks (https://www.standardwebhooks.com), with one signature for each secret.
 * Older secrets, which are not base64, are decoded leniently, as `Buffer` does; strict verifiers need a rotated one.
 */
export function standardHeaders(
  secrets: readonly string[],
  { id, body, unixSeconds }: { readonly id: string; readonly body: string; readonly unixSeconds: number },
): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(isSigningSecret(secret) ? secret.slice(PREFIX.length) : secret, 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${unixSeconds}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(unixSeconds),
    'webhook-signature': signatures.join(' '),
  };
}
