import { createHash, createHmac } from 'node:crypto';

export interface S3Request {
  readonly url: URL;
  readonly method: 'PUT';
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface S3Keys {
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** Signs a request without a query by AWS Signature Version 4; returns the additional headers. */
export function signS3(
  { url, method, body, headers }: S3Request,
  { region, accessKeyId, secretAccessKey }: S3Keys,
  now: number,
): Record<string, string> {
  const stamp = new Date(now).toISOString().replace(/[-:]|\.\d{3}/g, '');
  const day = stamp.slice(0, 8);
  const own = { 'x-amz-content-sha256': sha256(body), 'x-amz-date': stamp };
  const signed = Object.entries({ ...headers, ...own, host: url.host }).sort(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(';');
  const canonical = [
    method,
    url.pathname,
    '',
    ...signed.map(([name, value]) => `${name}:${value.trim()}`),
    '',
    names,
    own['x-amz-content-sha256'],
  ].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  const signature = hmac(key, ['AWS4-HMAC-SHA256', stamp, scope, sha256(canonical)].join('\n')).toString(
    'hex',
  );
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...own, authorization };
}
