/** A binary heap whose nodes know their positions, so that any node can be removed or moved in O(log n). */

/** A node is in at most one heap at a time. */
export interface HeapNode {
  /** Its position in the heap. */
  at: number;
}

/** Smallest node first. */
export interface IndexedHeap<Node extends HeapNode> {
  size(): number;
  first(): Node | undefined;
  add(node: Node): void;
  remove(node: Node): void;
  /** Restores the order after the keys of `node` have changed. */
  moved(node: Node): void;
}

/** Makes an empty heap. `isBefore` is a strict total order of the nodes. */
export function indexedHeap<Node extends HeapNode>(
  isBefore: (one: Node, other: Node) => boolean,
): IndexedHeap<Node> {
  const nodes: Node[] = [];

  function set(node: Node, at: number): void {
    nodes[at] = node;
    node.at = at;
  }

  function up(node: Node): void {
    let { at } = node;
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = nodes[parentAt];
      if (parent === undefined || !isBefore(node, parent)) break;
      set(parent, at);
      at = parentAt;
    }
    set(node, at);
  }

  function down(node: Node): void {
    let { at } = node;
    for (;;) {
      const left = nodes[2 * at + 1];
      const right = nodes[2 * at + 2];
      const child =
        left !== undefined && right !== undefined && isBefore(right, left) ? right : left;
      if (child === undefined || !isBefore(child, node)) break;
      const { at: childAt } = child;
      set(child, at);
      at = childAt;
    }
    set(node, at);
  }

  function moved(node: Node): void {
    up(node);
    down(node);
  }

  return {
    size: () => nodes.length,
    first: () => nodes[0],
    moved,
    add(node) {
      set(node, nodes.length);
      up(node);
    },
    remove(node) {
      const last = nodes.pop();
      if (last === undefined || last === node) return;
      set(last, node.at);
      moved(last);
    },
  };
}
