import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** The list is IANA's special-purpose registry, and addresses outside it on which clouds answer. */
const NOT_PUBLIC_V4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // a cloud's host agent
  '169.254.0.0/16', // link-local, metadata services
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // multicast tunnels
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
].map((text) => ipaddr.IPv4.parseCIDR(text));

/** Only 2000::/3 is global unicast; these ranges inside it are not for hosts. */
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR('2000::/3');
const NOT_PUBLIC_V6 = [
  '2001::/23', // protocol assignments: Teredo, ORCHID, benchmarking
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
].map((text) => ipaddr.IPv6.parseCIDR(text));

const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

function effective(address: Address): Address {
  if (!(address instanceof ipaddr.IPv6)) return address;
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  if (address.match(NAT64)) return new ipaddr.IPv4(address.toByteArray().slice(12));
  return address;
}

function parse(text: string): Address | null {
  const [bare, zone] = text.split('%');
  if (zone !== undefined || !bare) return null;
  if (ipaddr.IPv4.isValidFourPartDecimal(bare)) return ipaddr.IPv4.parse(bare);
  return ipaddr.IPv6.isValid(bare) ? ipaddr.IPv6.parse(bare) : null;
}

export function isPublicAddress(text: string): boolean {
  const parsed = parse(text);
  if (!parsed) return false;
  const address = effective(parsed);
  if (address instanceof ipaddr.IPv4) return !NOT_PUBLIC_V4.some((range) => address.match(range));
  return address.match(GLOBAL_V6) && !NOT_PUBLIC_V6.some((range) => address.match(range));
}

export function isLoopbackAddress(text: string): boolean {
  const parsed = parse(text);
  return parsed !== null && effective(parsed).range() === 'loopback';
}
