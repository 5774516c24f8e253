import { addon } from './addon.ts';

/** Bounds what the kernel holds for each connection to come on a port of this process; the number of sockets bounded. */
export const boundReceive = (port: number, bytes: number): number => addon().boundReceive(port, bytes);
