/** Every place outside this process that the server may call. What is not listed here is never called. */
import type { Config } from '../platform/config/index.ts';

export interface Place {
  readonly place: string;
  readonly why: string;
  /** What leads there: a setting of the operator, a request of a customer, a command. */
  readonly when: string;
}

const hostOf = (url: string): string => {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
};

/** Null settings lead nowhere. */
function configured(url: string | null, why: string, setting: string): Place[] {
  return url === null ? [] : [{ place: hostOf(url), why, when: `${setting} is set` }];
}

function bucket(config: Config): Place[] {
  if (config.s3Bucket === null) return [];
  const place = config.s3Endpoint ? hostOf(config.s3Endpoint) : `the S3 service of ${config.s3Region}`;
  const why = `keeps recordings and uploads in the bucket ${config.s3Bucket}`;
  const keys = config.s3AccessKeyId
    ? []
    : [
        {
          place: 'the metadata service of the machine',
          why: 'gives credentials for the bucket',
          when: 'TRUNKLINE_S3_BUCKET is set without an access key',
        },
      ];
  return [{ place, why, when: 'TRUNKLINE_S3_BUCKET is set' }, ...keys];
}

/** Through the gate for URLs of customers: public addresses over https alone, pinned for the connection. */
function ofCustomers(config: Config): Place[] {
  const place = config.allowLoopbackUrls
    ? 'public addresses, and this machine, that a customer names'
    : 'public addresses that a customer names';
  return [
    { place, why: 'fetches the audio of a job', when: 'a job is submitted with audio_url' },
    { place, why: 'delivers signed events', when: 'a webhook or a destination is registered' },
    { place, why: 'asks a customer for knowledge', when: 'a call is configured with kb_endpoint' },
  ];
}

function setUp(config: Config): Place[] {
  if (config.modelsFrom !== null) return [];
  return [
    {
      place: 'the registries of npm, PyPI and Debian',
      why: 'fetches packages and model files; the server that runs never calls there',
      when: 'npm start until all is set up, npx trunkline models fetch, npx trunkline brain install',
    },
  ];
}

export function placesOf(config: Config): Place[] {
  return [
    ...configured(config.databaseUrl, 'keeps everything but files', 'TRUNKLINE_DATABASE_URL'),
    ...configured(config.redisUrl, 'counts rates and sessions for all nodes', 'TRUNKLINE_REDIS_URL'),
    ...bucket(config),
    ...configured(config.brainUrl, 'answers in calls: it is sent what callers say', 'TRUNKLINE_BRAIN_URL'),
    ...configured(config.oidcIssuer, 'signs people in by OpenID Connect', 'TRUNKLINE_OIDC_ISSUER'),
    ...configured(config.otlpUrl, 'takes traces: times and routes, no words', 'TRUNKLINE_OTLP_URL'),
    ...ofCustomers(config),
    ...setUp(config),
  ];
}
