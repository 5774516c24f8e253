export { type CallOwner, LEASE_MS, NodeRegistry, type NodeRegistryOptions } from './node-registry.ts';
