import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ClusterNode } from '../../bench/cluster/cluster-nodes.ts';
import { compileProgram } from '../running-server.ts';

const LIMIT_MS = 60_000;

describe('a node of the cluster’s benchmark', () => {
  const made: ClusterNode[] = [];
  const make = async (settings: Record<string, string> = {}) => {
    const node = await ClusterNode.make(settings);
    made.push(node);
    return node;
  };

  beforeAll(compileProgram, LIMIT_MS);
  afterEach(() => {
    for (const node of made.splice(0)) node.remove();
  });

  it('has ended when it is said to be killed, so that it can be started again at once', async () => {
    const node = await make();
    node.start();
    await node.stop('SIGKILL');
    expect(node.isRunning).toBe(false);
    node.start();
    expect(node.isRunning).toBe(true);
    await node.stop('SIGKILL');
    await node.stop('SIGKILL');
  });

  it(
    'quotes how it ended and what it wrote where it ends before it is ready',
    async () => {
      const node = await make({ TRUNKLINE_CARRIER: 'pigeon' });
      node.start();
      await expect(node.ready()).rejects.toThrow(
        /node at port \d+ ended before it was ready \(exit status 2\): .*TRUNKLINE_CARRIER/s,
      );
    },
    LIMIT_MS,
  );
});
