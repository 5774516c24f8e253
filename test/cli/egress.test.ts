import { expect, it } from 'vitest';
import { placesOf } from '../../src/cli/egress.ts';
import { loadConfig } from '../../src/platform/config/index.ts';
import { environmentName, SETTINGS } from '../../src/platform/config/settings.ts';

/** Settings that are addresses, but of this server itself. */
const OWN = new Set(['baseUrl']);

const addresses = Object.keys(SETTINGS).filter(
  (name) => /(Url|Endpoint|Issuer)$/.test(name) && !OWN.has(name),
);

it('names what every setting leads to, once it is set', () => {
  expect(addresses).toContain('databaseUrl');
  const schemes: Record<string, string> = { databaseUrl: 'postgres', redisUrl: 'redis' };
  for (const name of addresses) {
    const host = `${name.toLowerCase()}.example.com`;
    const config = loadConfig({
      TRUNKLINE_S3_BUCKET: 'bucket',
      TRUNKLINE_S3_ACCESS_KEY_ID: 'id',
      TRUNKLINE_S3_SECRET_ACCESS_KEY: 'a key',
      TRUNKLINE_BRAIN_MODEL: 'model',
      [environmentName(name)]: `${schemes[name] ?? 'https'}://user:secret@${host}/path`,
    });
    const told = placesOf(config);
    expect(told.map(({ place }) => place).join('\n'), name).toContain(host);
    expect(JSON.stringify(told), name).not.toContain('secret');
  }
});

it('names only what customers and commands lead to where nothing is set', () => {
  const places = placesOf(loadConfig({}));
  expect(places.filter(({ when }) => /TRUNKLINE_\w+ is set/.test(when))).toEqual([]);
  expect(places.map(({ place }) => place)).toContain('the registries of npm, PyPI and Debian');
  expect(
    placesOf(loadConfig({ TRUNKLINE_MODELS_FROM: '/packages' })).map(({ place }) => place),
  ).not.toContain('the registries of npm, PyPI and Debian');
});
