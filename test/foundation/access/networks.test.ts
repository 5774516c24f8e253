import { expect, it } from 'vitest';
import { sourceNetwork } from '../../../src/foundation/access/networks.ts';
import { fc } from '../../property-tests.ts';

it.each([
  ['203.0.113.7', '203.0.113.0/24'],
  ['203.0.113.255', '203.0.113.0/24'],
  ['::ffff:203.0.113.9', '203.0.113.0/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
  ['2001:0DB8:0001:ffff::', '2001:db8:1::/48'],
  ['fe80::1%eth0', 'fe80::/48'],
  ['::1', '::/48'],
])('%s is of the network %s', (address, network) => {
  expect(sourceNetwork(address)).toBe(network);
});

it('gives every text a network, and keeps what it cannot read apart from addresses', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()), (text) => sourceNetwork(text).length > 0),
  );
  expect(sourceNetwork('not an address')).toBe('unreadable:not an address');
});
