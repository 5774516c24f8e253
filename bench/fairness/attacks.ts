/** This is what the hostile tenant does, each of it by itself: `npm run bench -- fairness cost` says what each costs. */
export const ATTACKS = ['lanes', 'uploads', 'jobs', 'signIns', 'sockets'] as const;
export type Attack = (typeof ATTACKS)[number];
