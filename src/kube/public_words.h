#pragma once

// What may stand in a text that strangers read: words of Kubernetes, etcd and Prometheus, which
// every cluster has. What is not known here may name somebody's nodes, teams or customers.

#include <string_view>

namespace schedlens::kube {

/// Whether it is a series or family of these programs or of their client libraries.
bool IsPublicMetric(std::string_view name);

/// Whether it is a label that these programs, Prometheus or its usual configuration give.
bool IsPublicLabel(std::string_view name);

/// Whether the value says nothing of its own in this label: a number in one of numbers, a known
/// word in one of words. Labels whose values are names (node, pod, instance, an unknown one) have
/// none.
bool IsPublicValue(std::string_view label, std::string_view value);

/// Whether it is a word of Kubernetes, whatever stands around it: a part of an API's path.
bool IsPublicWord(std::string_view word);

/// Whether the label's values are versions: digits and points in front are public.
bool IsVersionLabel(std::string_view label);

}  // namespace schedlens::kube
