export const MANAGE = {
  access: { kind: 'key', scope: 'telephony:manage', entitlement: 'telephony' },
} as const;
