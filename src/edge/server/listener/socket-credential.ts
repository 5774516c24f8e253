import type {
  AccessControl,
  Principal,
  RequestCredentials,
  Requirement,
} from '../../../foundation/access/contract.ts';
import { presentedCredential } from '../../../foundation/access/index.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import type { SocketRoute } from '../surface.ts';

export class SocketCredential {
  readonly #access: AccessControl;
  readonly #route: Pick<SocketRoute, 'access' | 'keyScope'>;
  readonly #presented: RequestCredentials;
  #found: (principal: Principal) => void = () => {};
  principal: Principal | null = null;

  constructor(
    access: AccessControl,
    route: Pick<SocketRoute, 'access' | 'keyScope'>,
    presented: RequestCredentials,
  ) {
    this.#access = access;
    this.#route = route;
    this.#presented = presented;
  }

  get isPending(): boolean {
    return this.principal === null && this.#route.access.kind === 'signed';
  }

  async authorizeUpgrade(): Promise<Readonly<Record<string, string>>> {
    const { access, keyScope } = this.#route;
    const isLater = keyScope !== undefined && presentedCredential(this.#bare()) === null;
    if (isLater) return {};
    const authorized = await this.#access.authorize(
      keyScope === undefined ? this.#presented : this.#bare(),
      keyScope === undefined ? access : keyRequirement(keyScope),
    );
    this.principal = authorized.principal;
    return authorized.headers;
  }

  onIdentified(found: (principal: Principal) => void): void {
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
      keyRequirement(keyScope),
    );
    this.principal = principal as Principal;
    this.#found(this.principal);
    return this.principal;
  };

  /** Removes the cookie: a web page's session must not open a carrier's stream. */
  #bare(): RequestCredentials {
    return { ...this.#presented, cookie: undefined };
  }
}

const keyRequirement = (scope: string): Requirement => ({ kind: 'key', scope });
