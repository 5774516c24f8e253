import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { mayReach } from '../../../src/foundation/platform/url-gate/index.ts';
import { isReachable, onlyReachable } from '../../../src/telephony/webrtc/candidates.ts';
import type { PeerListener } from '../../../src/telephony/webrtc/index.ts';
import { until } from '../../poll.ts';
import { compileProgram } from '../../running-server.ts';
import { node } from './nodes.ts';

beforeAll(compileProgram, 120_000);

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close();
});

async function service(): Promise<{ port: number; packets: number }> {
  const socket = createSocket('udp4');
  sockets.push(socket);
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const one = { port: (socket.address() as AddressInfo).port, packets: 0 };
  socket.on('message', () => {
    one.packets += 1;
  });
  return one;
}

const silent: PeerListener = { connected: () => {}, audio: () => {}, ended: () => {} };
const candidate = (port: number, at: number) =>
  `a=candidate:${at} 1 udp ${900 - at} 127.0.0.1 ${port} typ host`;

const leadingTo = (sdp: string, ports: readonly number[]): string =>
  `${sdp.replaceAll(/a=candidate:.*\r?\n/g, '').trimEnd()}\r\n${ports.map(candidate).join('\r\n')}\r\n`;

describe('a description', () => {
  it.each(['offer', 'answer', 'candidates', 'restart'] as const)(
    'of another side (%s) has packets sent where it may alone',
    async (by) => {
      const [allowed, refused] = [await service(), await service()];
      const reached = node({ mayReach: (_address, port) => port === allowed.port });
      const outsider = node();
      const ports = [refused.port, allowed.port];
      if (by === 'offer') {
        const { sdp } = await outsider.offer(silent);
        await reached.answer(leadingTo(sdp, ports), silent);
      } else if (by === 'answer') {
        const { peer, sdp } = await reached.offer(silent);
        const answer = await outsider.answer(sdp.replaceAll(/a=candidate:.*\r?\n/g, ''), silent);
        peer.answered(leadingTo(answer.sdp, ports));
      } else if (by === 'candidates') {
        const { sdp } = await outsider.offer(silent);
        const { peer } = await reached.answer(leadingTo(sdp, []), silent);
        peer.candidates(ports.map(candidate));
      } else {
        let up = () => {};
        const connected = new Promise<void>((resolve) => {
          up = resolve;
        });
        const first = await outsider.offer(silent);
        const { peer, sdp } = await reached.answer(leadingTo(first.sdp, []), { ...silent, connected: up });
        first.peer.answered(sdp);
        await connected;
        const second = await outsider.offer(silent);
        await peer.restart(leadingTo(second.sdp, ports));
      }
      await until(() => allowed.packets > 2);
      expect(refused.packets).toBe(0);
    },
    30_000,
  );

  it.each([
    ['8.8.8.8', 5000, false, true],
    ['8.8.8.8', 443, false, true],
    ['8.8.8.8', 53, false, false],
    ['8.8.8.8', 5060, false, false],
    ['2606:4700:4700::1111', 5000, false, true],
    ['127.0.0.1', 5000, false, false],
    ['::1', 5000, false, false],
    ['::ffff:127.0.0.1', 5000, false, false],
    ['64:ff9b::7f00:1', 5000, false, false],
    ['0.0.0.0', 5000, false, false],
    ['10.1.2.3', 5000, false, false],
    ['192.168.1.1', 5000, false, false],
    ['169.254.169.254', 5000, false, false],
    ['fe80::1', 5000, false, false],
    ['fd00::1', 5000, false, false],
    ['127.0.0.1', 5000, true, true],
    ['10.1.2.3', 5000, true, false],
    ['localhost', 5000, true, false],
  ] as const)(
    'that leads to %s port %i is followed as the operator allows',
    (address, port, allowLoopback, may) => {
      expect(mayReach(address, port, allowLoopback)).toBe(may);
    },
  );

  it('hides no place behind another spelling of a candidate', () => {
    const asked: string[] = [];
    const lines = [
      'a=candidate:1 1 udp 1 8.8.8.8 5000 typ host',
      'a=candidate:1 1 UDP 1 8.8.4.4 5000 typ srflx raddr 127.0.0.1 rport 9',
      'a=candidate:1 1 udp  127.0.0.1 8.8.8.8 5000 typ host',
      'a=candidate:1 1 udp 1 127.0.0.1\t8.8.8.8 5000 typ host',
      ' a=candidate:1 1 udp 1 127.0.0.1 5000 typ host',
      'a=candidate',
      'A=candidate:1 1 udp 1 127.0.0.1 5000 typ host\ra=candidate:1 1 udp 1 8.8.8.8 5000 typ host',
    ];
    const stored = onlyReachable(['v=0', ...lines, 'a=mid:0'].join('\r\n'), (address) => {
      asked.push(address);
      return address !== '127.0.0.1';
    });
    expect(stored).toBe(['v=0', ...lines.slice(0, 2), 'a=mid:0'].join('\r\n'));
    expect(asked).toEqual(['8.8.8.8', '8.8.4.4']);
    expect(isReachable('candidate:1 1 udp 1 8.8.8.8 5000 typ host', () => true)).toBe(true);
  });
});
