import { CallRefusedError } from '../call-transport.ts';

const WITHIN_MS = 30_000;

export class CallAcceptance {
  readonly promise: Promise<void>;
  resolve: () => void = () => undefined;
  reject: (error: Error) => void = () => undefined;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.promise.catch(() => undefined);
  }

  async wait(): Promise<void> {
    const late = setTimeout(() => this.reject(new CallRefusedError('the call was not answered')), WITHIN_MS);
    await this.promise.finally(() => clearTimeout(late));
  }
}
