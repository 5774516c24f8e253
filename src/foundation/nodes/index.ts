export {
  type CallOwner,
  LEASE_MS,
  type NodeLoad,
  NodeRegistry,
  type NodeRegistryOptions,
} from './node-registry.ts';
