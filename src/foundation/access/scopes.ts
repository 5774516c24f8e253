export const SCOPES = [
  'hear:transcribe',
  'hear:stream',
  'hear:configure',
  'speak:synthesize',
  'speak:clone',
  'speak:design',
  'omni:session',
  'omni:read',
  'omni:supervise',
  'kb:manage',
  'transcribe:jobs',
  'trace:configure',
  'trace:read',
  'recap:configure',
  'recap:read',
  'amd:detect',
  'amd:configure',
  'amd:read',
  'telephony:manage',
  'telephony:supervise',
  'dub:manage',
  'omni:manage',
  'webhooks:manage',
  'billing:read',
  'audit:read',
  'privacy:erase',
] as const;

/** These scopes reach billing, secrets, stored data and the audit log. Only an admin can give them to a key. */
export const ADMINISTRATIVE: readonly string[] = [
  'omni:manage',
  'webhooks:manage',
  'billing:read',
  'audit:read',
  'privacy:erase',
];

/** `voice:x` and `speak:x` are the same scope. */
export const canonicalScope = (scope: string): string =>
  scope.startsWith('voice:') ? `speak:${scope.slice('voice:'.length)}` : scope;

const familyWildcard = (scope: string): string => `${scope.slice(0, scope.indexOf(':'))}:*`;

const KNOWN: ReadonlySet<string> = new Set([...SCOPES, ...SCOPES.map(familyWildcard), '*']);

export const isKnownScope = (scope: string): boolean => KNOWN.has(canonicalScope(scope));

export function grants(granted: readonly string[], needed: string): boolean {
  const scope = canonicalScope(needed);
  const wildcard = familyWildcard(scope);
  return granted.some((each) => {
    const held = canonicalScope(each);
    return held === scope || held === wildcard || held === '*';
  });
}

/** A minted sandbox key has every scope except voice cloning. */
export const SANDBOX_SCOPES: readonly string[] = SCOPES.filter((scope) => scope !== 'speak:clone');

export const administrativeIn = (granted: readonly string[]): string | undefined =>
  ADMINISTRATIVE.find((scope) => grants(granted, scope));
