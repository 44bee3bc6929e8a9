//! Whose place goes to a client that finds all of them taken.

/// The place that goes to one more of `client`: the last one of the client that has most, if that still has no fewer then. So
/// of `n` clients that wait each can have its `n`th of the places, whatever the others take, and nobody has to know beforehand
/// how many there will be. `owners` has a client once for each of its places.
pub fn crowding<C: Copy + PartialEq>(
    owners: impl Iterator<Item = C> + Clone,
    client: C,
) -> Option<usize> {
    let (mut crowding, mut most) = (None, 0);
    for (place, owner) in owners.clone().enumerate() {
        let (mut count, mut own) = (0, 1);
        for other in owners.clone() {
            count += usize::from(other == owner);
            own += usize::from(other == client);
        }
        if count > own && count >= most {
            (crowding, most) = (Some(place), count);
        }
    }
    crowding
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::vec;
    use std::vec::Vec;

    use super::*;

    /// Clients that want so many places each, at once or one after another, in this order: how many each has in the end.
    fn share(places: usize, wanted: &[usize], turns: &[usize]) -> Vec<usize> {
        let (mut owners, mut left) = (Vec::new(), wanted.to_vec());
        for client in turns.iter().copied() {
            if left[client] == 0 {
                continue;
            }
            left[client] -= 1;
            if owners.len() == places {
                let Some(place) = crowding(owners.iter().copied(), client) else {
                    continue;
                };
                owners.remove(place);
            }
            owners.push(client);
        }
        let count = |client| owners.iter().filter(|owner| **owner == client).count();
        (0..wanted.len()).map(count).collect()
    }

    #[test]
    fn each_client_can_have_its_share_whatever_others_take() {
        for places in 1..=12 {
            for clients in 1..=places {
                let honest = places / clients;
                for first in 0..clients {
                    // All but one take all that they can, before it, behind it and again and again.
                    let mut wanted = vec![100; clients];
                    wanted[first] = honest;
                    let greedy = (0..100).flat_map(|_| (0..clients).filter(|it| *it != first));
                    let all: Vec<_> = greedy.collect();
                    let (before, behind) = all.split_at(all.len() / 2);
                    let turns = [before, &vec![first; honest], behind].concat();
                    let shares = share(places, &wanted, &turns);
                    assert_eq!(shares[first], honest, "{clients} clients, {places} places");
                }
            }
        }
    }

    #[test]
    fn who_is_alone_has_all_places() {
        assert_eq!(share(8, &[9], &[0; 9]), [8]);
    }

    #[test]
    fn nobody_gives_way_to_one_who_would_have_as_many() {
        assert_eq!(crowding([1, 1, 2].into_iter(), 2), None);
        assert_eq!(crowding([1, 1, 1, 2].into_iter(), 2), Some(2));
        assert_eq!(crowding([1, 2, 2, 1, 2].into_iter(), 3), Some(4));
        assert_eq!(crowding([1].into_iter(), 2), None);
    }
}
