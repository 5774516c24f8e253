import type { Principal, Requirement } from './contract.ts';
import { missingScope, notEntitled, wrongKind } from './refusals.ts';
import { requireRole } from './roles.ts';
import { grants } from './scopes.ts';

export function checkScope(principal: Principal, requirement: Requirement): void {
  if (requirement.kind === 'user' || requirement.kind === 'member') {
    if (requirement.role !== undefined) requireRole(principal, requirement.role);
  }
  if (principal.person !== null || (requirement.kind !== 'key' && requirement.kind !== 'member')) return;
  const { scope } = requirement;
  if (scope !== undefined && !grants(principal.scopes, scope)) throw missingScope(scope);
  if (requirement.kind !== 'key' || requirement.entitlement === undefined) return;
  if (!principal.entitlements.includes(requirement.entitlement)) throw notEntitled(requirement.entitlement);
}

const takesToken = ({ browser }: Principal, requirement: Requirement & { kind: 'key' }): boolean =>
  (browser?.isGrant ? requirement.grant : requirement.browser) === true;

export function checkKind(principal: Principal, requirement: Requirement): void {
  switch (requirement.kind) {
    case 'operator':
      if (principal.kind !== 'operator') throw wrongKind('the operator’s token');
      return;
    case 'user':
      if (principal.kind !== 'user') throw wrongKind('a signed-in user');
      return;
    case 'member':
      if (principal.kind !== 'user' && principal.kind !== 'key') {
        throw wrongKind('an API key or a signed-in user');
      }
      return;
    case 'key':
      if (principal.kind === 'browser_token' && takesToken(principal, requirement)) return;
      if (principal.kind !== 'key') throw wrongKind('an API key');
  }
}
