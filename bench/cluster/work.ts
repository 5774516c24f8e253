import { performance } from 'node:perf_hooks';
import { pause } from '../../src/apps/caller/index.ts';
import type { Balancer } from './balancers.ts';

const POST_EVERY_MS = 300;
const MOST_TRIES = 60;

export interface Post {
  readonly name: string;
  readonly beganAt: number;
  /** The status of the first try; 0: no answer. */
  first: number;
  firstMs: number;
  isDone: boolean;
}

/** Creates agents one after another, each with an idempotency key, and repeats what was not answered. */
export class Posts {
  readonly all: Post[] = [];
  readonly #balancer: () => Balancer;
  readonly #key: string;
  readonly #timer: NodeJS.Timeout;
  readonly #open = new Set<Promise<void>>();

  constructor(balancer: () => Balancer, key: string, prefix: string) {
    this.#balancer = balancer;
    this.#key = key;
    this.#timer = setInterval(() => {
      const post: Post = {
        name: `${prefix} ${this.all.length}`,
        beganAt: performance.now(),
        first: 0,
        firstMs: 0,
        isDone: false,
      };
      this.all.push(post);
      const sent = this.#send(post).finally(() => this.#open.delete(sent));
      this.#open.add(sent);
    }, POST_EVERY_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#open);
  }

  async #send(post: Post): Promise<void> {
    const { name, beganAt } = post;
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const headers = { 'idempotency-key': name };
      const { status } = await this.#balancer().send('/v1/agents', this.#key, {
        method: 'POST',
        headers,
        body: JSON.stringify({ name }),
      });
      if (tries === 0) {
        post.first = status;
        post.firstMs = performance.now() - beganAt;
      }
      post.isDone = status === 201;
      if (post.isDone) return;
      await pause(500);
    }
  }
}
