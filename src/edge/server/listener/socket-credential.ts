import type { Access, Presented, Principal, Requirement } from '../../../foundation/access/contract.ts';
import { presentedCredential } from '../../../foundation/access/index.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import type { SocketRoute } from '../surface.ts';

/** Resolves a socket's principal, from the credential of its upgrade or from a key in a later frame. */
export class SocketCredential {
  readonly #access: Access;
  readonly #route: Pick<SocketRoute, 'access' | 'keyScope'>;
  readonly #presented: Presented;
  #found: (principal: Principal) => void = () => {};
  principal: Principal | null = null;

  constructor(access: Access, route: Pick<SocketRoute, 'access' | 'keyScope'>, presented: Presented) {
    this.#access = access;
    this.#route = route;
    this.#presented = presented;
  }

  /** Tells whether a `signed` route still waits for a credential. */
  get isOpen(): boolean {
    return this.principal === null && this.#route.access.kind === 'signed';
  }

  /** Authorizes the credential of the upgrade and resolves with the rate-limit headers. Rejects with ApiError. */
  async fromUpgrade(): Promise<Readonly<Record<string, string>>> {
    const { access, keyScope } = this.#route;
    const isLater = keyScope !== undefined && presentedCredential(this.#bare()) === null;
    if (isLater) return {};
    const authorized = await this.#access.authorize(
      keyScope === undefined ? this.#presented : this.#bare(),
      keyScope === undefined ? access : demandOf(keyScope),
    );
    this.principal = authorized.principal;
    return authorized.headers;
  }

  /** Registers the callback for a principal that a later frame identifies. */
  whenFound(found: (principal: Principal) => void): void {
    this.#found = found;
  }

  identify = async (key: string | undefined): Promise<Principal> => {
    const { keyScope } = this.#route;
    if (this.principal !== null) return this.principal;
    if (keyScope === undefined || key === undefined || key === '')
      throw new ApiError(
        'missing_api_key',
        'The stream has no API key. Send it as the stream parameter api_key, or with the upgrade.',
      );
    const presented = { ...this.#bare(), authorization: undefined, apiKeyHeader: key };
    const { principal } = await this.#access.authorize(
      { ...presented, apiKeyQuery: undefined, protocols: [] },
      demandOf(keyScope),
    );
    this.principal = principal as Principal;
    this.#found(this.principal);
    return this.principal;
  };

  /** Removes the cookie: a web page's session must not open a carrier's stream. */
  #bare(): Presented {
    return { ...this.#presented, cookie: undefined };
  }
}

const demandOf = (scope: string): Requirement => ({ kind: 'key', scope });
