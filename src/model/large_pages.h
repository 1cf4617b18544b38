#ifndef SCHEDLENS_MODEL_LARGE_PAGES_H_
#define SCHEDLENS_MODEL_LARGE_PAGES_H_

namespace schedlens {

/// For who is about to fill the heap with very many small things: it grows in large steps from here
/// on, and what it grew by since the last call, and is not used yet, comes in large pages, where
/// the kernel gives them to who asks. A fault for each small page is a third of what such things
/// cost. To be called again and again meanwhile; costs next to nothing.
void GrowHeapInLargePages();

}  // namespace schedlens

#endif  // SCHEDLENS_MODEL_LARGE_PAGES_H_
