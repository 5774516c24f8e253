// node-gyp looks for this file in --nodedir; the real headers are those of the node-api-headers package.
