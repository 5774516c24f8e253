/** These routes reach the operator's account at the carrier. */
export const MANAGE = {
  access: { kind: 'key', scope: 'telephony:manage', entitlement: 'telephony' },
} as const;
